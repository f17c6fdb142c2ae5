import { google } from "../../../test/recordings/google/api.ts";
import { recordings } from "../../../test/recordings/google/index.ts";
import { describeRecordings } from "../../../test/recordings/replay.ts";

describeRecordings(google, recordings);
