import { type ContinuationOptions, type Message, validateContinuation } from "@jaf/memory";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomFrom } from "../mutations.ts";
import { forgeries, isHonest } from "./forgeries.ts";
import {
  honestRequest,
  type Request,
  rewritten,
  type Stored,
  shown,
  storedConversation,
} from "./requests.ts";

const optionsFor = (stored: Stored, { approvals }: Request): ContinuationOptions => ({
  approvals,
  clientToolCallIds: stored.clientToolCallIds,
  pendingApprovals: stored.pendingApprovals,
  dropped: stored.forgotten.length,
});

const judge = (stored: Stored, request: Request) =>
  validateContinuation(stored.persisted, [...request.copy, ...request.tail], optionsFor(stored, request));

const withRole = (messages: readonly unknown[], wanted: Message["role"]) =>
  (messages as readonly Message[]).filter(({ role }) => role === wanted);

describe("any continuation of a stored history", () => {
  it("is accepted with its added messages if it is honest, in any spelling", () => {
    const check = (seed: number) => {
      const random = randomFrom(seed);
      const stored = storedConversation(random);
      const request = honestRequest(stored, random);
      const copy = request.copy.map((message) => rewritten(message as Message, random));
      const { tail, approvals } = request;
      const accepted = {
        ok: true,
        toolResults: withRole(tail, "tool"),
        added: withRole(tail, "user"),
        approvals,
      };
      expect(judge(stored, request)).toEqual(accepted);
      expect(judge(stored, { ...request, copy })).toEqual(accepted);
      expect(isHonest({ ...request, copy }, stored)).toBe(true);
      const seen = request.copy.map((message) => rewritten(shown(message as Message, random), random));
      expect(judge(stored, { ...request, copy: seen })).toEqual(accepted);
      expect(isHonest({ ...request, copy: seen }, stored)).toBe(true);
    };
    fc.assert(fc.property(fc.integer(), check), { numRuns: 300 });
  });

  // Some forgeries need something rare in a conversation (bytes: one in thirty), so only changed requests count as
  // runs.
  it.each(Object.entries(forgeries))("is refused if it %s", (_, forge) => {
    const check = (seed: number) => {
      const random = randomFrom(seed);
      const stored = storedConversation(random);
      const request = forge(honestRequest(stored, random), random, stored);
      fc.pre(!isHonest(request, stored));
      if (judge(stored, request).ok) throw new Error(`accepted: ${JSON.stringify({ stored, request })}`);
    };
    fc.assert(fc.property(fc.integer(), check), { numRuns: 40, maxSkipsPerRun: 200 });
  });
});
