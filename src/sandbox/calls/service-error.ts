/**
 * What the service answers instead of 200: status and the message of its JSON body. Internal to the
 * sandbox; never leaves the process.
 */
export class ServiceError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = "ServiceError";
    this.status = status;
  }
}

export const badRequest = (message: string): ServiceError => new ServiceError(400, message);
export const notFound = (what: string): ServiceError => new ServiceError(404, `${what} not found`);
