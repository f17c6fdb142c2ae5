import type { Recording } from "../recording.ts";
import { countRecordings } from "./counts.ts";
import { everyday } from "./everyday.ts";
import { gatewayRecordings } from "./gateways.ts";
import { openaiChatRecordings } from "./openai.ts";
import { serviceRecordings } from "./services.ts";
import { streamRecordings } from "./streams.ts";

/** All recordings of Chat Completions. */
export const chatRecordings: readonly Recording[] = [
  ...everyday,
  ...openaiChatRecordings,
  ...gatewayRecordings,
  ...serviceRecordings,
  ...streamRecordings,
  ...countRecordings,
];
