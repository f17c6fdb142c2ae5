import { anthropic } from "../../../test/recordings/anthropic/api.ts";
import { anthropicRecordings } from "../../../test/recordings/anthropic/index.ts";
import { describeRecordings } from "../../../test/recordings/replay.ts";

describeRecordings(anthropic, anthropicRecordings);
