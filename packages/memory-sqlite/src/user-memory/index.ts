export type { SqliteDatabase } from "../database.ts";
export {
  createSqliteUserMemory,
  createSqliteUserMemoryBackend,
  type SqliteUserMemoryConfig,
} from "./user-memory.ts";
