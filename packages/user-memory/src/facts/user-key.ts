import { createHash } from "node:crypto";
import type { UserKey } from "../backend/backend.ts";

/** Of an id that was checked. */
export const userKeyOf = (userId: string): UserKey => ({
  userId,
  hash: createHash("sha256").update(userId, "utf8").digest("base64url"),
});
