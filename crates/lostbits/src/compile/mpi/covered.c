/* ---- which functions this layer covers ----
 *
 * Callers need not compare memory before and after these calls. */
#define MARK_MODE(MODE, NAME) const char __lostbits_compiled_##MODE##_##NAME __attribute__((weak)) = 1;
#define MARK_NAME(NAME)                                                     \
    MARK_MODE(same, NAME) MARK_MODE(explain, NAME) MARK_MODE(watch, NAME)   \
    MARK_MODE(symbolic, NAME) MARK_MODE(carry, NAME)
/* By the names of C and Fortran. */
#define MARK(NAME, FORTRAN) MARK_NAME(MPI_##NAME) MARK_NAME(mpi_##FORTRAN##_)
MARK(Send, send) MARK(Ssend, ssend) MARK(Rsend, rsend) MARK(Bsend, bsend) MARK(Recv, recv) MARK(Sendrecv, sendrecv)
MARK(Sendrecv_replace, sendrecv_replace) MARK(Isend, isend) MARK(Issend, issend) MARK(Irsend, irsend) MARK(Ibsend, ibsend)
MARK(Irecv, irecv) MARK(Wait, wait) MARK(Waitall, waitall) MARK(Waitany, waitany) MARK(Waitsome, waitsome) MARK(Test, test)
MARK(Testall, testall) MARK(Testany, testany) MARK(Testsome, testsome) MARK(Start, start) MARK(Startall, startall)
MARK(Send_init, send_init) MARK(Ssend_init, ssend_init) MARK(Rsend_init, rsend_init) MARK(Bsend_init, bsend_init)
MARK(Recv_init, recv_init) MARK(Bcast, bcast) MARK(Gather, gather) MARK(Gatherv, gatherv) MARK(Scatter, scatter)
MARK(Scatterv, scatterv) MARK(Allgather, allgather) MARK(Allgatherv, allgatherv) MARK(Alltoall, alltoall) MARK(Alltoallv, alltoallv)
MARK(Allreduce, allreduce) MARK(Reduce, reduce) MARK(Scan, scan) MARK(Init, init) MARK(Init_thread, init_thread)
MARK(Finalize, finalize) MARK(Comm_rank, comm_rank) MARK(Comm_size, comm_size) MARK(Comm_dup, comm_dup) MARK(Comm_split, comm_split)
MARK(Comm_free, comm_free) MARK(Type_commit, type_commit) MARK(Type_free, type_free) MARK(Type_vector, type_vector)
MARK(Type_contiguous, type_contiguous) MARK(Type_create_struct, type_create_struct) MARK(Type_indexed, type_indexed)
MARK(Get_count, get_count) MARK(Probe, probe) MARK(Iprobe, iprobe) MARK(Cart_create, cart_create) MARK(Cart_coords, cart_coords)
MARK(Cart_shift, cart_shift) MARK(Barrier, barrier) MARK(Wtime, wtime) MARK(Wtick, wtick) MARK(Exscan, exscan) MARK(Reduce_scatter, reduce_scatter)
MARK(Reduce_scatter_block, reduce_scatter_block) MARK(Alltoallw, alltoallw) MARK(Ibcast, ibcast) MARK(Igather, igather)
MARK(Igatherv, igatherv) MARK(Iscatter, iscatter) MARK(Iscatterv, iscatterv) MARK(Iallgather, iallgather)
MARK(Iallgatherv, iallgatherv) MARK(Ialltoall, ialltoall) MARK(Ialltoallv, ialltoallv) MARK(Iallreduce, iallreduce)
MARK(Ireduce, ireduce) MARK(Iscan, iscan) MARK(Iexscan, iexscan) MARK(Ireduce_scatter, ireduce_scatter)
MARK(Ireduce_scatter_block, ireduce_scatter_block) MARK(Mprobe, mprobe) MARK(Improbe, improbe) MARK(Mrecv, mrecv) MARK(Imrecv, imrecv)
MARK(Op_create, op_create) MARK(Win_create, win_create) MARK(Win_allocate, win_allocate) MARK(Win_free, win_free) MARK(Win_fence, win_fence)
MARK(Put, put) MARK(Get, get) MARK(Accumulate, accumulate) MARK(Pack, pack) MARK(Unpack, unpack) MARK(Pack_size, pack_size)
