import { describeUIHistories } from "../support/ui-histories.ts";

describeUIHistories(3_000);
