export interface PollingOptions {
  /** Looks once. Returns whether the next look should come soon, because a change is likely. */
  readonly look: () => Promise<boolean>;
  readonly shortestMs: number;
  /** The time between looks after some time without changes. */
  readonly longestMs: number;
  /** Default: `document`. */
  readonly page?: Page;
}

type Page = Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener">;

const GROWTH = 1.5;
/** Events that show that the user is active. */
const SIGNS = ["pointerdown", "keydown", "visibilitychange"] as const;

/**
 * Polls while the page is visible: soon after a change or user activity, then less and less often. Returns a function that
 * stops it.
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
