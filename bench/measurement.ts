export interface BenchPrograms {
  readonly agent: string;
  /** A compiled program that does nothing. */
  readonly empty: string;
}

export interface BenchRow {
  readonly what: string;
  readonly value: number;
  readonly atMost: number;
  readonly digits?: number;
  /** The figures behind the value. */
  readonly note?: string;
}

export type Measurement = (world: {
  readonly programs: BenchPrograms;
  readonly directory: string;
  /** How much is to be measured: tasks, seconds, cycles. Each measurement has its own default. */
  readonly amount?: number;
}) => Promise<readonly BenchRow[]>;
