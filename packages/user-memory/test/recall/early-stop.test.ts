import { describeEarlySettling } from "../support/early-stop.ts";

describeEarlySettling([1]);
