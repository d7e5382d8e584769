/* Regions for queue_events.cpp. */
void enter_array(double* x, int n) {
#pragma acc enter data copyin(x[0 : n])
}

void scale_array(double* x, int n, double by, int queue) {
#pragma acc parallel loop present(x[0 : n]) async(queue)
  for (int i = 0; i < n; ++i) x[i] *= by;
}

void refresh_array(double* x, int n, int queue) {
#pragma acc update device(x[0 : n]) async(queue)
}

void leave_array(double* x, int n, int queue) {
#pragma acc exit data copyout(x[0 : n]) async(queue)
}
