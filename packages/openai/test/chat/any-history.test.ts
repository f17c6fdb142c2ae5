import { describeAnyHistory } from "../support/any-history.ts";

describeAnyHistory(150);
