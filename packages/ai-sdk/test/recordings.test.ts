import { describe } from "vitest";
import { anthropicRecordings } from "../../../test/recordings/ai-sdk/anthropic.ts";
import { googleRecordings } from "../../../test/recordings/ai-sdk/google.ts";
import { chatRecordings, responsesRecordings } from "../../../test/recordings/ai-sdk/openai.ts";
import { describeRecordings } from "../../../test/recordings/replay.ts";
import {
  anthropicThroughAiSdk,
  chatThroughAiSdk,
  googleThroughAiSdk,
  responsesThroughAiSdk,
} from "./support/recorded-apis.ts";

describe("through @ai-sdk/anthropic", () => describeRecordings(anthropicThroughAiSdk, anthropicRecordings));
describe("through @ai-sdk/google", () => describeRecordings(googleThroughAiSdk, googleRecordings));
describe("through @ai-sdk/openai, Responses", () =>
  describeRecordings(responsesThroughAiSdk, responsesRecordings));
describe("through @ai-sdk/openai, Chat Completions", () =>
  describeRecordings(chatThroughAiSdk, chatRecordings));
