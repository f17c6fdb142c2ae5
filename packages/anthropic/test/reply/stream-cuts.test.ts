import { describeStreamCuts, someBytes } from "../../../../test/models/stream-cuts.ts";
import { messagesApi } from "../support/messages-api.ts";
import { messagesStream } from "../support/messages-stream.ts";

describeStreamCuts(messagesApi, messagesStream, someBytes);
