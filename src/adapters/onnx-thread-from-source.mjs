// How a thread runs TypeScript: `--import tsx` doesn't reach threads on Node 20. The built package starts onnx-thread.js itself.
import { register } from 'tsx/esm/api';

register();
await import('./onnx-thread.ts');
