import { describeFailures } from "../../../test/models/failures.ts";
import { generateContentApi, generateContentFailures } from "./support/generate-content-api.ts";

describeFailures(generateContentApi, generateContentFailures);
