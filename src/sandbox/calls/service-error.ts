/**
 * An answer of the service with a status other than 200, and the message in its JSON body. Handlers
 * throw it; service.ts and control.ts turn it into the answer.
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
