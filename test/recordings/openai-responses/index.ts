import type { Recording } from "../recording.ts";
import { clientToolRecordings } from "./client-tools.ts";
import { everyday } from "./everyday.ts";
import { hostedToolRecordings } from "./hosted-tools.ts";
import { oddStreamRecordings } from "./odd-streams.ts";
import { replyRecordings } from "./replies.ts";
import { xaiRecordings } from "./xai.ts";

/** All recordings of the Responses API. */
export const responsesRecordings: readonly Recording[] = [
  ...everyday,
  ...replyRecordings,
  ...hostedToolRecordings,
  ...clientToolRecordings,
  ...oddStreamRecordings,
  ...xaiRecordings,
];
