import type { Recording } from "../recording.ts";
import { citations } from "./citations.ts";
import { clientTools } from "./client-tools.ts";
import { code } from "./code.ts";
import { compatible } from "./compatible.ts";
import { context } from "./context.ts";
import { everyday } from "./everyday.ts";
import { serverTools } from "./server-tools.ts";
import { stops } from "./stops.ts";
import { streams } from "./streams.ts";

export const anthropicRecordings: readonly Recording[] = [
  ...everyday,
  ...serverTools,
  ...clientTools,
  ...code,
  ...context,
  ...stops,
  ...citations,
  ...streams,
  ...compatible,
];
