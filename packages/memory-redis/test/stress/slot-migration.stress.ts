import { describeSlotMigration } from "../support/slot-migration.ts";

describeSlotMigration("ioredis");
