import { type Message, validateContinuation } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as throughAnthropic from "../../../../test/recordings/ai-sdk/anthropic.ts";
import * as throughGoogle from "../../../../test/recordings/ai-sdk/google.ts";
import * as throughOpenAI from "../../../../test/recordings/ai-sdk/openai.ts";
import { anthropic } from "../../../../test/recordings/anthropic/api.ts";
import { anthropicRecordings } from "../../../../test/recordings/anthropic/index.ts";
import { google } from "../../../../test/recordings/google/api.ts";
import { recordings as googleRecordings } from "../../../../test/recordings/google/index.ts";
import { openaiChat } from "../../../../test/recordings/openai-chat/api.ts";
import { chatRecordings } from "../../../../test/recordings/openai-chat/index.ts";
import { openaiResponses } from "../../../../test/recordings/openai-responses/api.ts";
import { responsesRecordings } from "../../../../test/recordings/openai-responses/index.ts";
import { replay } from "../../../../test/recordings/replay.ts";
import { toUIMessages } from "../../src/index.ts";
import * as apis from "../support/recorded-apis.ts";
import { taken, throughTheWire } from "../support/ui-histories.ts";

describe.each([
  ["Anthropic", anthropic, anthropicRecordings],
  ["Gemini", google, googleRecordings],
  ["OpenAI's Chat Completions", openaiChat, chatRecordings],
  ["OpenAI's Responses", openaiResponses, responsesRecordings],
  ["@ai-sdk/anthropic", apis.anthropicThroughAiSdk, throughAnthropic.anthropicRecordings],
  ["@ai-sdk/google", apis.googleThroughAiSdk, throughGoogle.googleRecordings],
  ["@ai-sdk/openai, Chat Completions", apis.chatThroughAiSdk, throughOpenAI.chatRecordings],
  ["@ai-sdk/openai, Responses", apis.responsesThroughAiSdk, throughOpenAI.responsesRecordings],
])("the UI messages of a recorded conversation with %s", (_name, api, recordings) => {
  it.each(recordings.map((each) => [`${each.feature}: ${each.name}`, each] as const))(
    "continue the stored one: %s",
    async (_title, recording) => {
      for (const messages of (await replay(api, recording, { way: "streamed" })).stored) {
        const verdict = validateContinuation(
          messages as Message[],
          taken(throughTheWire(toUIMessages(messages))),
        );
        expect(verdict).toMatchObject({ ok: true, added: [], toolResults: [] });
      }
    },
  );
});
