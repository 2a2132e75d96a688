/** Randomness as a port, so that a whole run can be repeated from a seed. */
export interface Random {
  /** Uniform in [0, 1). */
  float(): number;
  /** A new unguessable id of 22 characters [0-9A-Za-z_-]. */
  id(): string;
}
