import { describeFailures } from "../../../test/models/failures.ts";
import { compatibleApi } from "./support/compatible-api.ts";

describeFailures(compatibleApi);
