import { setTimeout as sleep } from "node:timers/promises";
import type { ModelStreamChunk } from "@jaf/core";
import { stampedPiece } from "./stamp.ts";

/** The chunks of a reply, as all compared servers get them. */
export type Speak = (pieces: number) => AsyncGenerator<ModelStreamChunk>;

/** Returns a model that sends pieces at a rate, or immediately. It keeps the rate by the clock, so a late piece doesn't delay the next ones. */
export const createSpeaker = (perSecond: number | undefined): Speak =>
  async function* speak(pieces) {
    const start = performance.now();
    for (let nth = 0; nth < pieces; nth++) {
      if (perSecond !== undefined) {
        const wait = start + (nth * 1_000) / perSecond - performance.now();
        if (wait > 0) await sleep(wait);
      }
      yield { type: "text_delta", text: stampedPiece(nth) };
    }
    yield { type: "done" };
  };
