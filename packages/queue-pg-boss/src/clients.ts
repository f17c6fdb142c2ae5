/** The options of a job that the queue sends to pg-boss. */
interface JobOptions {
  readonly priority?: number;
  readonly startAfter?: Date;
  readonly singletonKey?: string;
  readonly retryLimit?: number;
  readonly expireInSeconds?: number;
}

/** A database of pg-boss. */
interface PgBossDb {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** A `PgBoss` of `pg-boss` 10, or any object with the same methods. The application starts and stops it. */
export interface PgBossClient {
  /** Returns the database. */
  getDb(): PgBossDb;
  getQueue(name: string): Promise<{ readonly policy?: string } | null>;
  createQueue(name: string, options: { name: string; policy: "short" }): Promise<void>;
  updateQueue(name: string, options: { name: string; policy: "short" }): Promise<void>;
  send(name: string, data: object, options: JobOptions & { db: PgBossDb }): Promise<string | null>;
  fetch(
    name: string,
    options: { batchSize: number; includeMetadata: true; db: PgBossDb },
  ): Promise<{ readonly id: string; readonly data: unknown; readonly retryCount: number }[]>;
  deleteJob(name: string, id: string, options: { db: PgBossDb }): Promise<unknown>;
}

/** A connection of a {@link PgPool}. */
export interface PgPoolClient {
  query(query: { text: string; values?: unknown[]; query_timeout?: number }): Promise<{ rows: unknown[] }>;
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
  release(destroy: boolean): void;
}

/** A `Pool` of `pg`, or any object with the same methods. */
export interface PgPool {
  connect(): Promise<PgPoolClient>;
}
