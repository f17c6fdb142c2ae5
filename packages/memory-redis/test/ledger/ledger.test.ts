import { describeLedgerOn } from "../support/ledger.ts";

describeLedgerOn("node-redis");
