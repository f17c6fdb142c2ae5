import { describeFailures } from "../../../../test/models/failures.ts";
import { responsesApi, responsesFailures } from "../support/responses-api.ts";

describeFailures(responsesApi, responsesFailures);
