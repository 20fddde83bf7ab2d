/**
 * The tool through which a model gives an answer that fits a schema. It exists only in a run that was asked for such an
 * answer, behind all other tools; rules cannot name it.
 */
export const SYNTHETIC_OUTPUT = "SyntheticOutput";
