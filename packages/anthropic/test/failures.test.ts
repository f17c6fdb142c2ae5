import { describeFailures } from "../../../test/models/failures.ts";
import { messagesApi, messagesFailures } from "./support/messages-api.ts";

describeFailures(messagesApi, messagesFailures);
