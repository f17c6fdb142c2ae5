import type { Recording } from "../recording.ts";
import { computer } from "./computer-use.ts";
import { everyday } from "./everyday.ts";
import { functionCalls } from "./function-calls.ts";
import { grounding } from "./grounding.ts";
import { mcp } from "./mcp.ts";
import { output } from "./output.ts";
import { stops } from "./stops.ts";

/** All recordings of `generateContent`. */
export const recordings: readonly Recording[] = [
  ...[...everyday, ...functionCalls, ...mcp, ...grounding, ...computer],
  ...[...output, ...stops],
];
