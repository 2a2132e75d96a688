import { describe, expect, it } from "vitest";
import { lazy } from "../../src/model/lazy.ts";

describe("lazy", () => {
  it("makes nothing before it is asked, and then the one value", () => {
    let made = 0;
    const value = lazy(() => ({ number: ++made }));
    expect(made).toBe(0);
    expect(value()).toBe(value());
    expect(made).toBe(1);
  });

  it("makes undefined once, too", () => {
    let made = 0;
    const nothing = lazy(() => void (made += 1));
    nothing();
    expect(nothing()).toBeUndefined();
    expect(made).toBe(1);
  });
});
