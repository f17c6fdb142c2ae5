import { google } from "../../../test/recordings/google/api.ts";
import { functionCalls } from "../../../test/recordings/google/function-calls.ts";
import { mcp } from "../../../test/recordings/google/mcp.ts";
import { describeRecordings } from "../../../test/recordings/replay.ts";

describeRecordings(google, [...functionCalls, ...mcp]);
