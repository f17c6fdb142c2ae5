import { expect } from "vitest";
import type { Json, Recording } from "../../../../test/recordings/recording.ts";
import { type Replayed, replay } from "../../../../test/recordings/replay.ts";
import type { ApiName, Recorded } from "./all.ts";
import { comparableMessages } from "./comparison.ts";

/** Streams of these APIs may end after an event like this. */
const ENDS: Partial<Readonly<Record<ApiName, RegExp>>> = {
  "openai-chat": /"finish_reason":"/,
  "openai-responses": /"type":"response\.(completed|done|incomplete|failed)"/,
  google: /"finishReason":"/,
};

/** Ends each stream of a recording after each of its events, and expects a retryable failure of which nothing is stored. */
export async function expectCutsFail(recorded: Recorded): Promise<void> {
  const { api, recording } = recorded;
  const { sentBack: _, ...first } = recording;
  const whole = await replay(api, first, { way: "streamed" });
  for (const [place, { events }] of recording.replies.entries()) {
    for (let length = 0; length < events.length; length++) {
      const kept = events.slice(0, length);
      if (kept.some((event) => isEnd(recorded, event))) break;
      const cut = await replay(api, cutAt(first, place, kept), { way: "streamed" });
      const failure = failureIn(cut);
      // What is wrong with the whole reply can be known before its end.
      const isRecorded =
        first.outcome.status === "error" && JSON.stringify(failure).includes(first.outcome.says ?? "\0");
      if (!isRecorded)
        expect([length, failure]).toMatchObject([length, { _tag: "ModelCallError", retryable: true }]);
      expectBeginning(cut, whole);
      expect(cut.requests).toHaveLength(place + 1);
    }
  }
}

const cutAt = (recording: Recording, place: number, events: readonly (Json | string)[]): Recording => ({
  ...recording,
  replies: recording.replies
    .slice(0, place + 1)
    .map((reply, at) => (at === place ? { ...reply, events } : reply)),
});

function isEnd({ apiName }: Recorded, event: Json | string): boolean {
  return ENDS[apiName]?.test(JSON.stringify(event)) === true;
}

function failureIn({ first, answered }: Replayed): unknown {
  const { outcome } = first.outcome.status === "interrupted" ? answered : first;
  return outcome.status === "error" ? outcome.error : outcome;
}

/** Expects that the stored messages are the first ones of the whole turn. */
function expectBeginning(cut: Replayed, whole: Replayed): void {
  const stored = cut.stored[0] ?? [];
  expect(comparableMessages(stored)).toEqual(
    comparableMessages((whole.stored[0] ?? []).slice(0, stored.length)),
  );
}
