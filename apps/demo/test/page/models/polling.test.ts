import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startPolling } from "../../../page/src/models/polling.ts";

class Page extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";
  show(state: DocumentVisibilityState): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

describe("polling", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start(sees: () => boolean = () => false) {
    const page = new Page();
    const look = vi.fn(async () => sees());
    const stop = startPolling({
      look,
      shortestMs: 3_000,
      longestMs: 15_000,
      page: page as unknown as Document,
    });
    /** The number of looks within a number of seconds. */
    const looks = async (seconds: number): Promise<number> => {
      look.mockClear();
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
      return look.mock.calls.length;
    };
    return { page, looks, stop };
  }

  it("looks less and less often without changes, down to a limit", async () => {
    const { looks } = start();
    expect(await looks(3)).toBe(1);
    expect(await looks(60)).toBeLessThan(10);
    expect(await looks(150)).toBe(10);
  });

  it("looks often during changes, and after user activity", async () => {
    let isNew = true;
    const { page, looks } = start(() => isNew);
    expect(await looks(60)).toBe(20);
    isNew = false;
    await looks(300);
    page.dispatchEvent(new Event("pointerdown"));
    expect(await looks(3)).toBe(1);
  });

  it("doesn't look while the page is hidden, and looks immediately when it is visible again", async () => {
    const { page, looks } = start(() => true);
    page.show("hidden");
    expect(await looks(600)).toBe(0);
    page.show("visible");
    expect(await looks(0.001)).toBe(1);
  });

  it("continues after a failed look, isn't sped up by many events, and stops", async () => {
    const { page, looks, stop } = start(() => {
      throw new Error("The server is away.");
    });
    expect(await looks(30)).toBe(10);
    for (let press = 0; press < 100; press += 1) page.dispatchEvent(new Event("keydown"));
    expect(await looks(3)).toBe(1);
    stop();
    page.show("visible");
    expect(await looks(60)).toBe(0);
  });
});
