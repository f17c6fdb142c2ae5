import { afterEach, describe, expect, it, vi } from "vitest";
import { processEnvironment, restart, unref, warn } from "../../src/runtime/process.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const WARNING = { type: "JAFObserverWarning", detail: "at home" };

describe("without a process", () => {
  // Some bundlers provide an object with only an environment.
  it.each([undefined, {}, { env: undefined }])(
    "there are no variables, and warnings are on the console",
    (process) => {
      const told = vi.spyOn(console, "warn").mockImplementation(() => undefined);
      vi.stubGlobal("process", process);
      expect(processEnvironment()).toEqual({});
      warn("Look.", WARNING);
      warn("Look again.", { type: "JAFObserverWarning" });
      vi.unstubAllGlobals();
      expect(told.mock.calls).toEqual([
        ["JAFObserverWarning: Look.", "at home"],
        ["JAFObserverWarning: Look again."],
      ]);
    },
  );
});

describe("with a process", () => {
  it("uses its variables, and warnings can be observed", () => {
    const emit = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    warn("Look.", WARNING);
    expect(emit).toHaveBeenCalledExactlyOnceWith("Look.", WARNING);
    expect(processEnvironment()).toBe(process.env);
  });
});

describe("timers", () => {
  it("let a process end, and can be the web's numbers", () => {
    const timer = unref(setTimeout(() => undefined, 1_000));
    expect(timer.hasRef()).toBe(false);
    clearTimeout(timer);
    expect(unref(7)).toBe(7);
  });

  it.each(["Node", "the web"])("of %s restart, even after they have fired", (kind) => {
    vi.useFakeTimers();
    const start = setTimeout;
    // Web timers are numbers.
    if (kind === "the web")
      vi.stubGlobal("setTimeout", (...given: Parameters<typeof start>) => Number(start(...given)));
    const acts = vi.fn();
    let timer = setTimeout(acts, 100);
    vi.advanceTimersByTime(60);
    timer = restart(timer, acts, 100);
    vi.advanceTimersByTime(60);
    expect(acts).not.toHaveBeenCalled();
    vi.advanceTimersByTime(40);
    expect(acts).toHaveBeenCalledTimes(1);
    timer = restart(timer, acts, 100);
    vi.advanceTimersByTime(100);
    expect(acts).toHaveBeenCalledTimes(2);
    // First remove the stubs over the fake timers: removed later, they would restore these for every following file.
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
});
