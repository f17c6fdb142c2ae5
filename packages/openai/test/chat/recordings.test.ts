import { openaiChat } from "../../../../test/recordings/openai-chat/api.ts";
import { failureRecordings } from "../../../../test/recordings/openai-chat/failures.ts";
import { chatRecordings } from "../../../../test/recordings/openai-chat/index.ts";
import { describeRecordings } from "../../../../test/recordings/replay.ts";
import { describeToldStreams } from "../support/told.ts";

describeRecordings(openaiChat, [...chatRecordings, ...failureRecordings]);
describeToldStreams(openaiChat, chatRecordings);
