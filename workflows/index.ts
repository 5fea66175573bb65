export { taskWorkflow } from './task.js';
