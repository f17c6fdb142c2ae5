import { rejectedResult } from "@jaf/core/adapter";
import { type UIMessage, uiMessageChunkSchema } from "ai";
import fc from "fast-check";
import { expect } from "vitest";
import { streamedReply } from "../../../src/ai-sdk/ui-messages.ts";
import type { TurnEvent } from "../../../src/turns/turn-event.ts";
import { callsLast, chunksOf, options, read, seen, sizes } from "./chunks.ts";
import { comparable } from "./comparable.ts";
import { scriptTurn, turnShapes } from "./turns.ts";

const DENIED = JSON.stringify(rejectedResult("too dear"));

/** Marks a call as the client does after its user's decision. */
const decidedPart = (part: UIMessage["parts"][number]): UIMessage["parts"][number] =>
  "state" in part && part.state === "approval-requested"
    ? { ...part, state: "approval-responded", approval: { id: part.approval.id, approved: false } }
    : part;

/** Expects that the chunks of any turn are valid, and that a client makes of them the message that is loaded afterwards. */
export async function expectLoadedMessage(numRuns: number): Promise<void> {
  const schema = await uiMessageChunkSchema().validate;
  await fc.assert(
    fc.asyncProperty(turnShapes, sizes, async (shape, lengths) => {
      const turn = scriptTurn(shape);
      const chunks = chunksOf(turn, lengths);
      const verdicts = await Promise.all(chunks.map((chunk) => schema?.(chunk)));
      expect(chunks.filter((_, nth) => verdicts[nth]?.success !== true)).toEqual([]);
      // A turn that fails in the middle of a reply retracts it at its end.
      const retractions = turn.events.filter(({ type }) => type === "retract").length;
      expect(chunks.filter(({ type }) => type === "message-metadata").length).toBeLessThanOrEqual(
        retractions + (turn.status === "error" ? 1 : 0),
      );
      const { message, errors } = await read(chunks);
      expect(errors).toEqual(turn.status === "error" ? ["Error: The model failed."] : []);
      expect(message?.id).toBe("m1");
      expect(seen(message)).toEqual(comparable(callsLast(streamedReply(turn.stored, turn))));
    }),
    { numRuns },
  );
}

/** Expects that the chunks of any turn continue a message that waits, and repeat it for clients that join later. */
export async function expectContinued(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(turnShapes, turnShapes, sizes, async (first, second, lengths) => {
      const asked = scriptTurn({ ...first, status: "interrupted" });
      const goesOn = scriptTurn(second);
      const open = asked.interruptions.map(({ toolCallId }) => toolCallId);
      const answers: TurnEvent[] = open.map((toolCallId, index) => ({
        type: "tool_end",
        toolCallId,
        toolName: "find",
        status: "success",
        durationMs: 1,
        result: index === 0 ? DENIED : "done",
      }));
      const stored = [
        ...asked.stored,
        ...open.map((id, index) => ({
          role: "tool" as const,
          tool_call_id: id,
          content: index === 0 ? DENIED : "done",
        })),
      ];
      const [start, ...rest] = goesOn.events;
      const events = start === undefined ? [] : [start, ...answers, ...rest];
      const wanted = comparable(
        callsLast(streamedReply([...stored, ...goesOn.stored], { interruptions: goesOn.interruptions })),
      );

      const held = (await read(chunksOf(asked, lengths))).message;
      fc.pre(held !== undefined);
      const decided = { ...held, parts: held.parts.map(decidedPart) };
      const given = { ...options, before: asked.stored, heldParts: decided.parts.length };
      const live = await read(chunksOf({ ...goesOn, events }, lengths, given), decided);
      expect(seen(live.message)).toEqual(wanted);

      const again = await read(
        chunksOf({ ...goesOn, events }, [events.length], { ...options, before: asked.stored }),
      );
      expect(comparable(callsLast(again.message?.parts ?? []))).toEqual(wanted);
      expect(again.message?.metadata).toBeUndefined();
    }),
    { numRuns },
  );
}
