import { callSafely, warn } from "@jaf/memory/engine";
import { textOfThrown } from "../thrown.ts";

/**
 * Calls an observer of the application. What it throws, or rejects with, becomes a process warning named `JAFObserverWarning`, and
 * doesn't stop what is observed.
 */
export const callObserver = (observer: () => unknown, failure: () => string): void =>
  callSafely(observer, (thrown) => report(failure(), thrown));

function report(message: string, thrown: unknown): void {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  const detail = typeof stack === "string" ? stack : textOfThrown(thrown);
  warn(message, { type: "JAFObserverWarning", detail });
}
