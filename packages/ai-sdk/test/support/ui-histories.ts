import { isSuccess, type Message, type RichMessage, validateContinuation } from "@jaf/memory";
import { calledTool, messageText, sameJson } from "@jaf/memory/history";
import { convertToModelMessages, validateUIMessages } from "ai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromUIMessages, toUIMessages } from "../../src/index.ts";
import { histories, repliedHistories, SECRET } from "./histories.ts";

export const taken = (ui: unknown): readonly RichMessage[] => {
  const parsed = fromUIMessages(ui);
  if (!isSuccess(parsed)) throw new Error(parsed.error.message);
  return parsed.data;
};

export const throughTheWire = (ui: unknown): unknown => JSON.parse(JSON.stringify(ui));

/** Rules for any history, each tested with `numRuns` histories. */
export function describeUIHistories(numRuns: number): void {
  describe("the UI messages of a history", () => {
    it("are accepted by the AI SDK", async () => {
      await fc.assert(
        fc.asyncProperty(histories, fc.boolean(), async (history, isOpen) => {
          const ui = toUIMessages(history, {
            providerMetadata: isOpen,
            dynamicTools: isOpen,
            system: isOpen,
          });
          // A history without content has no UI messages, and the AI SDK refuses an empty list.
          if (ui.length === 0) return;
          await validateUIMessages({ messages: ui });
          await convertToModelMessages(ui);
          await validateUIMessages({ messages: throughTheWire(ui) });
        }),
        { numRuns },
      );
    });

    it("have no opaque data and no instructions", () => {
      fc.assert(
        fc.property(histories, (history) => {
          expect(JSON.stringify(toUIMessages(history))).not.toContain(SECRET);
        }),
        { numRuns },
      );
    });

    it("are converted back with texts, calls, results and files", () => {
      fc.assert(
        fc.property(histories, (history) => {
          const shown = history.filter(
            ({ role, content }) => role !== "system" && role !== "developer" && content !== "stray",
          );
          const back = taken(throughTheWire(toUIMessages(history)));
          expect(said(back)).toEqual(said(shown));
          const [calls, callsBack] = [callsOf(shown), callsOf(back)];
          expect(callsBack.map(([id, name]) => [id, name])).toEqual(calls.map(([id, name]) => [id, name]));
          for (const [index, [, , input = ""]] of calls.entries()) {
            const inputBack = callsBack[index]?.[2];
            expect(inputBack === input || sameJson(parsed(inputBack), parsed(input || "{}"))).toBe(true);
          }
          expect(resultsOf(back)).toEqual(resultsOf(shown));
          expect(filesOf(back)).toEqual(filesOf(shown));
        }),
        { numRuns },
      );
    });
  });

  describe("a complete conversation from a client", () => {
    it("continues the stored one, even without its opaque data", () => {
      fc.assert(
        fc.property(repliedHistories, fc.boolean(), (history, reasoning) => {
          const added: RichMessage = { role: "user", content: "And now?" };
          const [user] = toUIMessages([added]);
          const sent = throughTheWire([...toUIMessages(history, { reasoning }), user]);
          // Stored rich messages are messages.
          const verdict = validateContinuation(history as Message[], taken(sent));
          expect(verdict).toMatchObject({ ok: true, added: [added] });
        }),
        { numRuns },
      );
    });
  });
}

/** The roles and texts of messages, without empty ones. A refusal counts as text. */
const said = (messages: readonly RichMessage[]) =>
  messages
    .filter(({ role }) => role !== "tool")
    .map((message) => [message.role, textsOf(message)])
    .filter(([, text]) => text !== "");
const textsOf = (message: RichMessage): string =>
  typeof message.content === "string"
    ? message.content
    : partsOf(message)
        .map(({ type, text, refusal }) => (type === "text" ? text : refusal) ?? "")
        .join("");

const partsOf = ({ content }: RichMessage) => (typeof content === "string" ? [] : (content ?? []));
const callsOf = (messages: readonly RichMessage[]) =>
  messages.flatMap(({ tool_calls }) =>
    (tool_calls ?? []).map((each) => [each.id, calledTool(each).name, calledTool(each).input]),
  );
const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
};
const resultsOf = (messages: readonly RichMessage[]) =>
  messages
    .filter(({ role }) => role === "tool")
    .map((message) => [
      message.tool_call_id,
      typeof message.content === "string" ? message.content : messageText(message),
    ]);
const filesOf = (messages: readonly RichMessage[]) =>
  messages.flatMap(partsOf).flatMap(({ type, data, url, mediaType, filename }) => {
    if (type !== "media" || (data === undefined && url === undefined)) return [];
    return [
      [
        mediaType,
        filename,
        data instanceof Uint8Array ? Buffer.from(data).toString("base64") : (data ?? String(url)),
      ],
    ];
  });
