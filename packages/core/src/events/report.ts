import { callSafely, warn } from "@jaf/memory/engine";
import { textOfThrown } from "../thrown.ts";

/**
 * Calls something of the application's that only watches, such that it can't break what it watches: what it throws, or
 * rejects with, becomes a process warning named `JAFObserverWarning`, so that it is seen and nothing stops.
 */
export const callObserver = (observer: () => unknown, failure: () => string): void =>
  callSafely(observer, (thrown) => report(failure(), thrown));

function report(message: string, thrown: unknown): void {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  const detail = typeof stack === "string" ? stack : textOfThrown(thrown);
  warn(message, { type: "JAFObserverWarning", detail });
}
