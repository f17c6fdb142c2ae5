import type { Recording } from "../recording.ts";
import { everyday } from "./everyday.ts";
import { gatewayRecordings } from "./gateways.ts";
import { openaiChatRecordings } from "./openai.ts";

/** All recordings of Chat Completions. */
export const chatRecordings: readonly Recording[] = [
  ...everyday,
  ...openaiChatRecordings,
  ...gatewayRecordings,
];
