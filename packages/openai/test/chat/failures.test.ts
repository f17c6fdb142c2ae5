import { describeFailures } from "../../../../test/models/failures.ts";
import { chatApi, chatFailures } from "../support/chat-api.ts";

describeFailures(chatApi, chatFailures);
