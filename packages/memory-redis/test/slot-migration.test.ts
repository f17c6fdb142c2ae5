import { describeSlotMigration } from "./support/slot-migration.ts";

describeSlotMigration("node-redis");
