import { createInMemoryProvider, type Message, type RichMessage, sanitizeConversation } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { rawConversations } from "../../../memory/test/history/messages/raw-messages.ts";
import { type ModelCompletion, run } from "../../src/index.ts";
import { parseReply } from "../../src/model/reply.ts";
import { createScriptedModel } from "../../src/testing/index.ts";
import { says, setup, user } from "../support/setup.ts";

const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** A missing or unusable id of a provider. The engine replaces it. */
const withoutId = (message: RichMessage): boolean =>
  (message.tool_calls ?? []).some(({ id }) => typeof id !== "string" || id === "");

const THOUGHT_ALONE = "it holds reasoning and no answer";

/** Conversations with assistant messages that aren't replies of a model. */
const unusable: Readonly<Record<string, readonly string[]>> = {
  "Qwen: reasoning alone": [THOUGHT_ALONE],
  // Its calls are parts, which an adapter makes calls of.
  "AI SDK: model messages": [THOUGHT_ALONE, "the reply is empty"],
};

describe.each(Object.entries(rawConversations))("%s", (name, messages) => {
  const replies: readonly RichMessage[] = messages.filter(({ role }) => role === "assistant");

  it("has replies that the engine keeps unchanged", () => {
    for (const sent of replies) {
      const parsed = parseReply({ message: sent } as ModelCompletion);
      if (!parsed.ok) {
        expect(unusable[name]).toContain(parsed.detail);
        continue;
      }
      const kept: RichMessage = parsed.message;
      const content = typeof sent["refusal"] === "string" ? sent.content : (sent.content ?? "");
      expect(kept.content).toEqual(withoutId(sent) ? expect.anything() : content);
      for (const [field, value] of Object.entries(sent)) {
        if (field === "content" || field === "tool_calls" || isEmpty(value)) continue;
        expect(kept[field]).toEqual(value);
      }
      for (const [index, call] of (sent.tool_calls ?? []).entries()) {
        const { id: _, type: __, ...fields } = call;
        expect(kept.tool_calls?.[index]).toMatchObject(fields);
      }
    }
  });

  it("is sent to the model as stored", async () => {
    const provider = createInMemoryProvider();
    await provider.appendMessages("c", messages, {}, { createIfMissing: "unowned" });
    const model = createScriptedModel(["Yes."]);
    const memory = { provider, autoStore: true } as const;
    await run(says("Sure?"), setup({ model, config: { memory, conversationId: "c" } }).config);
    const history: readonly Message[] = sanitizeConversation(messages);
    expect(model.requests[0]?.state.messages).toEqual([...history, user("Sure?")]);
  });
});
