import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Puts messages and stack traces of failures into a payload, which the codec then encrypts. JavaScript, because Temporal's SDK
 * loads it by its path: in Node by `require`, in the workflows' sandbox by the bundler.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
