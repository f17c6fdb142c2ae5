import { openaiResponses } from "../../../../test/recordings/openai-responses/api.ts";
import { responsesRecordings } from "../../../../test/recordings/openai-responses/index.ts";
import { describeRecordings } from "../../../../test/recordings/replay.ts";
import { describeToldStreams } from "../support/told.ts";

describeRecordings(openaiResponses, responsesRecordings);
describeToldStreams(openaiResponses, responsesRecordings);
