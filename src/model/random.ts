/** Randomness as a port, so that a whole run can be repeated from a seed. */
export interface Random {
  /** Returns a number, uniform in [0, 1). */
  float(): number;
  /** Returns a new unguessable id of 22 characters [0-9A-Za-z_-]. */
  id(): string;
}
