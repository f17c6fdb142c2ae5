export interface PollingOptions {
  /** Looks once. Whether the next look is likely to see something else: then it comes soon. */
  readonly look: () => Promise<boolean>;
  readonly shortestMs: number;
  /** So long apart are looks that saw nothing new for a while. */
  readonly longestMs: number;
  /** Default: the page's. */
  readonly page?: Page;
}

type Page = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener">;

const GROWTH = 1.5;
/** By these somebody shows that they are there. */
const SIGNS = ["pointerdown", "keydown", "visibilitychange"] as const;

/**
 * Looks again and again while the page is seen: soon after something was new or somebody did something, then less and less
 * often. Returns what ends it.
 */
export function startPolling({ look, shortestMs, longestMs, page = document }: PollingOptions): () => void {
  let waitMs = shortestMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lookedAt = Date.now();
  let isLooking = false;
  let isOver = false;
  const isSeen = () => page.visibilityState === "visible";

  function schedule(afterMs: number): void {
    clearTimeout(timer);
    if (!isOver && isSeen()) timer = setTimeout(() => void lookNow(), afterMs);
  }

  async function lookNow(): Promise<void> {
    isLooking = true;
    const isLively = await look().catch(() => true);
    isLooking = false;
    lookedAt = Date.now();
    waitMs = isLively ? shortestMs : Math.min(waitMs * GROWTH, longestMs);
    schedule(waitMs);
  }

  const isThere = (): void => {
    waitMs = shortestMs;
    if (!isLooking) schedule(Math.max(0, lookedAt + shortestMs - Date.now()));
  };
  for (const sign of SIGNS) page.addEventListener(sign, isThere);
  schedule(shortestMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
    for (const sign of SIGNS) page.removeEventListener(sign, isThere);
  };
}
