import { describeStreamCuts, someBytes } from "../../../../test/models/stream-cuts.ts";
import { chatApi } from "../support/chat-api.ts";
import { chatStream } from "../support/chat-stream.ts";

describeStreamCuts(chatApi, chatStream, someBytes);
