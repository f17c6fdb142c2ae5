import { describeEarlySettling } from "../support/early-settling.ts";

describeEarlySettling([1]);
