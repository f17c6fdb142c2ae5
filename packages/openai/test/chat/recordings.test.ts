import { openaiChat } from "../../../../test/recordings/openai-chat/api.ts";
import { chatRecordings } from "../../../../test/recordings/openai-chat/index.ts";
import { describeRecordings } from "../../../../test/recordings/replay.ts";

describeRecordings(openaiChat, chatRecordings);
