/**
 * An answer of the service other than 200: its status and the message of its JSON body. It never
 * leaves the sandbox as an exception.
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
