/**
 * Headless Chromium over its debugging pipe, for tests of what a reader sees. Skips the test with a
 * message if none is installed.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { afterAll, type TestContext } from "vitest";
import { skipAloud } from "./skip-aloud.ts";
import { makeStateFolder } from "./state-folder.ts";

/** The key codes that a browser uses. */
const KEYS = {
  Tab: { windowsVirtualKeyCode: 9 },
  Enter: { windowsVirtualKeyCode: 13, text: "\r" },
} as const;

/** The media query for each colour scheme. */
const COLOURS = {
  day: "prefers-color-scheme:light",
  night: "prefers-color-scheme:dark",
} as const;

export interface BrowserPage {
  goto(url: string): Promise<void>;
  /**
   * Evaluates an expression in the page and awaits promises. @throws Error with what the page threw
   */
  read<T>(expression: string): Promise<T>;
  /** Presses a key: `Tab` or `Enter`. */
  press(key: keyof typeof KEYS): Promise<void>;
  /** Types text into the field that has the focus. */
  type(text: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** Sets the colour scheme that the reader prefers. */
  prefer(time: "day" | "night"): Promise<void>;
  /** Returns the whole page as a PNG. */
  screenshot(): Promise<Buffer>;
}

const NAMES = [process.env["CHROMIUM"], "chromium", "chromium-browser", "google-chrome"].filter(
  (name) => name !== undefined,
);
/** Flags without background networking, so that a test asks nobody but its own server. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-pipe",
];

export type OpenPage = (context: TestContext) => Promise<BrowserPage>;

/**
 * Starts one browser for the tests of a file. Each page shares nothing with the others, and is
 * closed when its test ends.
 */
export function useBrowser(): OpenPage {
  let browser: Browser | undefined;
  afterAll(() => browser?.close());
  return async (context) => {
    const program = NAMES.find((name) => spawnSync(name, ["--version"]).error === undefined);
    if (program === undefined)
      skipAloud(context, "Chromium is not installed (Debian's package chromium has it)");
    browser ??= startBrowser(program);
    return openPage(browser.connection, context);
  };
}

interface Browser {
  readonly connection: Connection;
  close(): Promise<void>;
}

function startBrowser(program: string): Browser {
  const profile = makeStateFolder();
  const args = [...FLAGS, `--user-data-dir=${profile}`, "about:blank"];
  // The browser gets a process group of its own, because its children write to the profile, too. It
  // ends by itself when the pipe does.
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    detached: true,
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const close = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await gone;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  return { connection: connect(child), close };
}

type Send = (method: string, params?: object, sessionId?: string) => Promise<any>;

interface Connection {
  readonly send: Send;
  /** Resolves with the next event of this name. */
  once(method: string): Promise<any>;
}

/** Connects over file descriptors 3 and 4. Messages are JSON, each ended by a zero byte. */
function connect(child: ChildProcess): Connection {
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, ((params: unknown) => void)[]>();
  let id = 0;
  let rest = "";
  const take = (text: string) => {
    const message = JSON.parse(text);
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error !== undefined) asked?.reject(new Error(message.error.message));
    else asked?.resolve(message.result);
    for (const listener of listeners.get(message.method) ?? []) listener(message.params);
    listeners.delete(message.method);
  };
  output.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = `${rest}${chunk}`.split("\0");
    rest = parts.pop() ?? "";
    parts.forEach(take);
  });
  let hasEnded = false;
  input.on("error", () => undefined);
  child.once("exit", () => {
    hasEnded = true;
    for (const { reject } of waiting.values()) reject(new Error("Chromium ended"));
  });
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        if (hasEnded) return reject(new Error("Chromium has ended"));
        waiting.set((id += 1), { resolve, reject });
        input.write(
          `${JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) })}\0`,
        );
      }),
    once: (method) =>
      new Promise((resolve) => listeners.set(method, [...(listeners.get(method) ?? []), resolve])),
  };
}

async function wholePage(ask: Send) {
  const { cssContentSize } = await ask("Page.getLayoutMetrics");
  const { width, height } = cssContentSize;
  return { clip: { x: 0, y: 0, width, height, scale: 1 } };
}

async function openPage(
  { send, once }: Connection,
  { onTestFinished }: TestContext,
): Promise<BrowserPage> {
  const { browserContextId } = await send("Target.createBrowserContext");
  onTestFinished(() => send("Target.disposeBrowserContext", { browserContextId }));
  const { targetId } = await send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const ask: Send = (method, params) => send(method, params, sessionId);
  await ask("Page.enable");
  return {
    async goto(url) {
      const loaded = once("Page.loadEventFired");
      const { errorText } = await ask("Page.navigate", { url });
      if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
      await loaded;
    },
    async read(expression) {
      const { result, exceptionDetails } = await ask("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails !== undefined)
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async press(key) {
      for (const type of ["keyDown", "keyUp"])
        await ask("Input.dispatchKeyEvent", { type, key, code: key, ...KEYS[key] });
    },
    prefer: (time) => {
      const [name, value] = COLOURS[time].split(":");
      return ask("Emulation.setEmulatedMedia", { features: [{ name, value }] });
    },
    type: (text) => ask("Input.insertText", { text }),
    async screenshot() {
      const { data } = await ask("Page.captureScreenshot", {
        format: "png",
        captureBeyondViewport: true,
        ...(await wholePage(ask)),
      });
      return Buffer.from(data, "base64");
    },
    resize: (width, height) =>
      ask("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: true,
      }),
  };
}
