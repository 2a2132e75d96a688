/** The API key in force: read again from its file once when the service refuses it. */
import type { ApiConfig } from "../config/config.ts";
import type { Files } from "../model/files.ts";

export interface KeyHolder {
  readonly key: () => string;
  set(api: ApiConfig): void;
  /** True when the file holds another key than the one that was refused. */
  renew(): Promise<boolean>;
}

export function createKeyHolder(api: ApiConfig, files: Files, addSecret: (secret: string) => void): KeyHolder {
  let current = api;
  let key = api.key;
  addSecret(key);
  return {
    key: () => key,
    set(next) {
      current = next;
      key = next.key;
      addSecret(key);
    },
    async renew() {
      if (current.keyFile === undefined) return false;
      const read = (await files.readText(current.keyFile).catch(() => key)).trim();
      if (read === key || read === "") return false;
      key = read;
      addSecret(key);
      return true;
    },
  };
}
